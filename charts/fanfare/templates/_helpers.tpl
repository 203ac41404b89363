{{/* Fails with every required value that is missing. One template that includes it stops them all. */}}
{{- define "fanfare.check" -}}
{{- $missing := list -}}
{{- if not .Values.image.repository }}{{ $missing = append $missing "image.repository" }}{{ end -}}
{{- if not .Values.secret }}{{ $missing = append $missing "secret" }}{{ end -}}
{{- if not .Values.publicUrl }}{{ $missing = append $missing "publicUrl" }}{{ end -}}
{{- if not .Values.temporal.address }}{{ $missing = append $missing "temporal.address" }}{{ end -}}
{{- if not .Values.mediaUrl }}{{ $missing = append $missing "mediaUrl" }}{{ end -}}
{{- if $missing }}{{ fail (printf "Set these values: %s. values.yaml describes them." (join ", " $missing)) }}{{ end -}}
{{- if not (hasPrefix "s3://" .Values.mediaUrl) }}{{ fail "mediaUrl must be a bucket, s3://…, because pods share no folder." }}{{ end -}}
{{- end -}}

{{- define "fanfare.name" -}}
{{- $name := contains "fanfare" .Release.Name | ternary .Release.Name (printf "%s-fanfare" .Release.Name) -}}
{{- $name | trunc 50 | trimSuffix "-" -}}
{{- end -}}

{{- define "fanfare.serviceAccount" -}}
{{- .Values.serviceAccount.name | default (include "fanfare.name" .) -}}
{{- end -}}

{{/* What selects the pods of a role. Never changes. */}}
{{- define "fanfare.selector" -}}
app.kubernetes.io/name: fanfare
app.kubernetes.io/instance: {{ .root.Release.Name }}
app.kubernetes.io/component: {{ .role }}
{{- end -}}

{{- define "fanfare.labels" -}}
{{ include "fanfare.selector" . }}
app.kubernetes.io/version: {{ .root.Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .root.Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .root.Chart.Name .root.Chart.Version }}
{{- end -}}

{{/* The pod of a role, except its probes. */}}
{{- define "fanfare.pod" -}}
{{- $ := .root -}}
{{- with $.Values.imagePullSecrets }}
imagePullSecrets: {{ toYaml . | nindent 2 }}
{{- end }}
automountServiceAccountToken: false
securityContext:
  runAsNonRoot: true
  runAsUser: 1000
  runAsGroup: 1000
  fsGroup: 1000
  seccompProfile: { type: RuntimeDefault }
{{- with $.Values.nodeSelector }}
nodeSelector: {{ toYaml . | nindent 2 }}
{{- end }}
{{- with $.Values.tolerations }}
tolerations: {{ toYaml . | nindent 2 }}
{{- end }}
volumes:
  - name: secret
    secret:
      secretName: {{ $.Values.secret }}
      defaultMode: 0440
  # Images while they are decoded.
  - name: data
    emptyDir: {}
{{- end -}}

{{- define "fanfare.container" -}}
{{- $ := .root -}}
name: {{ .role }}
image: {{ printf "%s:%s" $.Values.image.repository ($.Values.image.tag | default $.Chart.AppVersion) | quote }}
imagePullPolicy: {{ $.Values.image.pullPolicy }}
args: [{{ .role }}]
securityContext:
  allowPrivilegeEscalation: false
  readOnlyRootFilesystem: true
  capabilities: { drop: [ALL] }
env:
  - { name: DATABASE_URL_FILE, value: /run/secrets/fanfare/database_url }
  - { name: FANFARE_VAULT_KEYS_FILE, value: /run/secrets/fanfare/vault_keys }
  - { name: FANFARE_METRICS_TOKEN_FILE, value: /run/secrets/fanfare/metrics_token }
  - { name: FANFARE_HOST, value: 0.0.0.0 }
  - { name: FANFARE_PORT, value: '4000' }
  - { name: FANFARE_WORKER_PORT, value: '4001' }
  - name: FANFARE_PUBLIC_URL
    value: {{ $.Values.publicUrl | quote }}
  - name: FANFARE_MEDIA_URL
    value: {{ $.Values.mediaUrl | quote }}
  - name: TEMPORAL_ADDRESS
    value: {{ $.Values.temporal.address | quote }}
  - name: TEMPORAL_NAMESPACE
    value: {{ $.Values.temporal.namespace | quote }}
{{- range $name, $value := $.Values.env }}
  - name: {{ $name }}
    value: {{ $value | quote }}
{{- end }}
{{- with $.Values.envFrom }}
envFrom: {{ toYaml . | nindent 2 }}
{{- end }}
resources: {{ toYaml (index $.Values .role).resources | nindent 2 }}
volumeMounts:
  - { name: secret, mountPath: /run/secrets/fanfare, readOnly: true }
  - { name: data, mountPath: /var/lib/fanfare }
{{- end -}}

{{- define "fanfare.probes" -}}
startupProbe:
  httpGet: { path: /livez, port: http }
  # It waits a minute for each backend.
  periodSeconds: 3
  failureThreshold: 60
  timeoutSeconds: 5
livenessProbe:
  httpGet: { path: /livez, port: http }
  periodSeconds: 10
  timeoutSeconds: 5
readinessProbe:
  httpGet: { path: /readyz, port: http }
  periodSeconds: 5
  timeoutSeconds: 5
{{- end -}}
