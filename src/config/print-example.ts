import { writeFileSync } from 'node:fs'
import { SETTINGS, type SettingName } from './config.ts'

const HEAD = `Every setting of Posthorn, each with its default. Copy this file to .env and change what you need. A duration is a whole number and a unit: ms, s, m, h or d. Posthorn does not start with an invalid value, or with a POSTHORN_ name that is not listed here; the error names each.
A file can hold the value of each setting, such as a secret of Docker, Kubernetes or systemd: <setting>_FILE is the path of the file. A line break at the end of the file does not count. Set one of the two, not both.`

const END =
  'Tracing with OpenTelemetry has no setting of Posthorn: set OTEL_EXPORTER_OTLP_ENDPOINT and the other standard variables here or in the environment. See docs/operate/monitor.md.'

/** The text of `.env.example`. */
export function printExample(): string {
  const described = Object.entries(SETTING_DESCRIPTIONS).map(([name, text]) => {
    return `${comment(text)}\n#${name}=${SETTINGS[name as SettingName]}`
  })
  return `${[comment(HEAD), ...described, comment(END)].join('\n\n')}\n`
}

/** Paragraphs as comments, in lines of at most 120 characters. */
const comment = (text: string) => text.replaceAll(/(.{1,118})(?:\s|$)/g, '# $1\n').trimEnd()

/**
 * What each setting is for, its unit, its bounds and what happens without it, in the order of `.env.example`, which is made
 * from these texts, as the reference is.
 */
export const SETTING_DESCRIPTIONS: Readonly<Record<SettingName, string>> = {
  DATABASE_URL:
    'PostgreSQL 15 or newer, as a URL: postgres://user:password@host:5432/database, or postgres://user@/database?host=/var/run/postgresql for a folder of sockets. 18 is recommended. Unset: an embedded Postgres in POSTHORN_DATA_DIR, for evaluation.',
  POSTHORN_DIRECT_DATABASE_URL:
    'The direct connection to the same database, if DATABASE_URL leads through a transaction pooler. Unset: DATABASE_URL.',
  HOST: 'The address that the API listens on. Put a proxy that terminates TLS in front before you expose it.',
  PORT: 'The port, 0 to 65535; 0 picks a free port.',
  POSTHORN_METRICS_PORT:
    'A port of its own for /metrics, 1 to 65535, on the same HOST; PORT then answers 404 for it. Unset: /metrics is on PORT.',
  POSTHORN_PUBLIC_URL:
    "The address of Posthorn in browsers, without a path, such as https://webhooks.example.com. Links to the portal begin with it, and /openapi.json names it as the server. If it is https://, browsers send the console's cookie over TLS only. Unset: the address of each request.",
  POSTHORN_PORTAL_ORIGINS:
    'Origins (comma-separated) whose pages may show the portal in a frame, such as https://app.example.com. Unset: none.',
  POSTHORN_TRUSTED_PROXIES:
    'The proxies in front of Posthorn, as address ranges (CIDR, comma-separated) such as 10.0.0.0/8. Posthorn takes the client address from X-Forwarded-For only if such a proxy wrote it. Unset: the address of the connection.',
  POSTHORN_DATA_DIR:
    'The folder of the embedded database, its generated keys and the local certificate authority.',
  POSTHORN_WORKER_SCHEMA:
    "The schema of graphile-worker's tables, which hold the jobs: 1 to 63 lower-case letters, digits and underscores. Posthorn creates the schema if it does not exist. In the database of an application that runs graphile-worker, use a separate schema, such as posthorn_worker. Use the same value in every process.",
  POSTHORN_ENCRYPTION_KEYS:
    'The keys that encrypt signing secrets and custom headers at rest: comma-separated base64 keys of 32 bytes, such as the output of `openssl rand -base64 32`. The first key encrypts; all keys decrypt. Required with DATABASE_URL. Unset in embedded mode: Posthorn generates a key and keeps it in POSTHORN_DATA_DIR.',
  POSTHORN_CONCURRENCY: 'Attempts in flight per process, 1 to 10000.',
  POSTHORN_MAX_HEAP_MB:
    'The heap of a process, in MiB, 128 to 16384. Requests that do not fit get 429 or 503, and large payloads wait. Raise it for more attempts in flight, and for many large payloads or schemas.',
  POSTHORN_RETRY_SCHEDULE:
    'The delays between attempts: at most 50, each at most 7d. Jitter adds up to 10 %. Empty: no retries.',
  POSTHORN_ATTEMPT_TIMEOUT:
    'The time from a ready connection to the status and headers of the response, 1s to 30s.',
  POSTHORN_EGRESS_ALLOW:
    'Address ranges (CIDR, comma-separated) that are not public but that deliveries may reach. Unset: none, or 127.0.0.0/8,::1/128 in embedded mode while HOST is a loopback address.',
  POSTHORN_EGRESS_CA_FILE: "A PEM file of certificate authorities to trust in addition to Node's.",
  POSTHORN_EGRESS_PROXY:
    'An HTTP(S) forward proxy for deliveries: http://user:password@proxy:3128. It must allow CONNECT to public addresses: Posthorn names the checked address, not the host name.',
  POSTHORN_SMTP_URL:
    'The mail server for alerts by e-mail: smtps://user:password@host for TLS from the start, or smtp://…, which uses STARTTLS if the server offers it, and only with it as smtp://…?requireTLS=true. Needs POSTHORN_EMAIL_FROM and POSTHORN_PUBLIC_URL. Unset: no e-mail.',
  POSTHORN_EMAIL_FROM:
    'The sender of alerts by e-mail: Posthorn <posthorn@example.com>. Needs POSTHORN_SMTP_URL.',
  POSTHORN_HEADER_PREFIX:
    "The prefix of the delivery headers of every webhook. With webhook-, the libraries of Standard Webhooks verify deliveries, and verify of @posthorn/receiver takes { headerPrefix: 'webhook-' }. New custom headers may not begin with the prefix.",
  POSTHORN_RETENTION:
    'How long events, deliveries and attempts are kept, 1d to 3650d. Deliveries that are not final are kept longer.',
  POSTHORN_KEEP_FAILED_JOBS:
    'How long the job of an exhausted delivery stays visible as failed, 0s to 365d.',
  POSTHORN_AUDIT_RETENTION: 'How long the audit log is kept, 30d to 3650d.',
  POSTHORN_CORS_ORIGINS:
    'Origins (comma-separated) whose pages may call /graphql from a browser, such as https://app.example.com. Unset: none.',
  POSTHORN_MCP:
    'What agents can do over the Model Context Protocol at /mcp, with the scopes of their keys: off (there is no such path), read (tools that change nothing) or write.',
  POSTHORN_GRAPHQL_TRUSTED_DOCUMENTS:
    'A JSON file that maps hashes to GraphQL documents, as persistedDocuments of GraphQL Code Generator writes it. Only these documents run, and GraphiQL is off. Unset: any document runs.',
  POSTHORN_OIDC_ISSUER:
    'Sign-in to the console by OpenID Connect, beside API keys: the https:// URL of the provider. Needs POSTHORN_PUBLIC_URL; register <POSTHORN_PUBLIC_URL>/console/session/oidc/callback as the redirect URI. Unset: API keys only.',
  POSTHORN_OIDC_CLIENT_ID: 'The id that the provider assigned to Posthorn.',
  POSTHORN_OIDC_CLIENT_SECRET: 'The secret that the provider assigned to Posthorn. Unset: none.',
  POSTHORN_OIDC_ROLES:
    'Who may sign in, as claim=value:key (comma-separated), such as groups=support:key_…: people with this value in this claim get the organization and the scopes of the API key with this id. The first match counts; people without one are refused.',
  POSTHORN_LOG_LEVEL:
    'The log level: trace, debug, info, warn, error, fatal or silent. Logs are JSON lines on standard error.',
}

if (import.meta.main) {
  writeFileSync(new URL('../../.env.example', import.meta.url), printExample())
}
