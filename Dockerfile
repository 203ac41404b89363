# Builds the dashboard, whose packages the program doesn't need.
FROM node:24-bookworm-slim AS dashboard
WORKDIR /app
COPY package.json package-lock.json tsconfig.json ./
RUN npm ci --ignore-scripts
COPY api/dashboard/sources.ts api/dashboard/
COPY api/dashboard/app api/dashboard/app
RUN npm run build

# The program for production: docker-compose.yml runs it as `migrate`, `api` and `worker`.
# Temporal's native core needs glibc, so no Alpine.
FROM node:24-bookworm-slim

ENV NODE_ENV=production
WORKDIR /app

# Without install scripts: the image has its own Node, and no embedded Postgres is started here.
COPY package.json package-lock.json ./
RUN npm ci --omit=dev --ignore-scripts && npm cache clean --force

COPY api api
COPY clients/typescript/src clients/typescript/src
COPY activities activities
COPY schema schema
COPY workflows workflows
COPY --from=dashboard /app/dist dist

# Holds the built workflow bundle; nothing in it must outlive the container.
ENV FANFARE_DATA_DIR=/var/lib/fanfare
RUN mkdir -p "$FANFARE_DATA_DIR/media" && chown -R node:node "$FANFARE_DATA_DIR"
USER node

EXPOSE 4000 4001
ENTRYPOINT ["node", "--max-semi-space-size=8", "api/cli.ts"]
