// Renders and lints a chart for each set of values, and decodes every object strictly into the types of Kubernetes.
// Reads the sets as JSON from standard input, and writes one result for each.
package main

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"

	"helm.sh/helm/v4/pkg/chart/common"
	"helm.sh/helm/v4/pkg/chart/common/util"
	"helm.sh/helm/v4/pkg/chart/v2/lint"
	"helm.sh/helm/v4/pkg/chart/v2/loader"
	"helm.sh/helm/v4/pkg/engine"
	apps "k8s.io/api/apps/v1"
	batch "k8s.io/api/batch/v1"
	core "k8s.io/api/core/v1"
	networking "k8s.io/api/networking/v1"
	"sigs.k8s.io/yaml"
)

type result struct {
	// Error says why the chart was not rendered.
	Error string `json:"error,omitempty"`
	// Lint holds what Helm's linter says.
	Lint []string `json:"lint"`
	// Objects holds the decoded objects.
	Objects []any `json:"objects"`
}

func main() {
	var sets []map[string]any
	check(json.NewDecoder(os.Stdin).Decode(&sets))
	results := make([]result, 0, len(sets))
	for _, values := range sets {
		results = append(results, render(os.Args[1], values))
	}
	check(json.NewEncoder(os.Stdout).Encode(results))
}

func render(folder string, values map[string]any) result {
	rendered := result{Lint: []string{}, Objects: []any{}}
	chart, err := loader.Load(folder)
	check(err)
	release := common.ReleaseOptions{Name: "fanfare", Namespace: "default", Revision: 1, IsInstall: true}
	complete, err := util.ToRenderValues(chart, values, release, common.DefaultCapabilities)
	if err != nil {
		return failed(err)
	}
	files, err := engine.Render(chart, complete)
	if err != nil {
		return failed(err)
	}
	for _, message := range lint.RunAll(folder, values, release.Namespace).Messages {
		rendered.Lint = append(rendered.Lint, message.Error())
	}
	for name, text := range files {
		if strings.HasSuffix(name, ".tpl") || strings.TrimSpace(text) == "" {
			continue
		}
		object, err := decode([]byte(text))
		if err != nil {
			return failed(fmt.Errorf("%s: %w", name, err))
		}
		rendered.Objects = append(rendered.Objects, object)
	}
	return rendered
}

func failed(err error) result {
	return result{Error: err.Error(), Lint: []string{}, Objects: []any{}}
}

// decode refuses fields that the type doesn't have.
func decode(text []byte) (any, error) {
	var kind struct {
		APIVersion string `json:"apiVersion"`
		Kind       string `json:"kind"`
	}
	if err := yaml.Unmarshal(text, &kind); err != nil {
		return nil, err
	}
	types := map[string]func() any{
		"apps/v1 Deployment":           func() any { return new(apps.Deployment) },
		"batch/v1 Job":                 func() any { return new(batch.Job) },
		"networking.k8s.io/v1 Ingress": func() any { return new(networking.Ingress) },
		"v1 Service":                   func() any { return new(core.Service) },
		"v1 ServiceAccount":            func() any { return new(core.ServiceAccount) },
	}
	create, known := types[kind.APIVersion+" "+kind.Kind]
	if !known {
		return nil, fmt.Errorf("no type for %s %s", kind.APIVersion, kind.Kind)
	}
	object := create()
	return object, yaml.UnmarshalStrict(text, object)
}

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
