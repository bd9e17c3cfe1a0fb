import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { createTestAuthority } from '../outbound/certificates.ts'
import { freePort } from './free-port.ts'
import { programPath } from './installed-program.ts'
import { startProgram } from './running-program.ts'

export type ReverseProxy = Awaited<ReturnType<typeof startProxy>>

export type ProxyName = 'nginx' | 'caddy'

interface Site {
  readonly folder: string
  readonly block: string
  readonly port: number
  readonly upstream: string
  readonly certificateFile: string
  readonly keyFile: string
}

/** Starts a proxy with TLS, with its block of docs/operate/operating.md, in front of the server at `upstreamUrl`. */
export async function startProxy(
  name: ProxyName,
  upstreamUrl: string,
  changeBlock = (block: string) => block,
) {
  const folder = await mkdtemp(path.join(tmpdir(), `posthorn-${name}-`))
  const authority = await createTestAuthority()
  const { key, cert } = await authority.issue(['localhost'])
  const site: Site = {
    folder,
    block: changeBlock(await documentedBlock(name === 'nginx' ? 'nginx' : 'caddyfile')),
    port: await freePort(),
    upstream: new URL(upstreamUrl).host,
    certificateFile: path.join(folder, 'certificate.pem'),
    keyFile: path.join(folder, 'certificate.key'),
  }
  const file = path.join(folder, 'configuration')
  await writeFile(site.certificateFile, cert)
  await writeFile(site.keyFile, key)
  await writeFile(file, name === 'nginx' ? nginxFile(site) : caddyFile(site))
  const args =
    name === 'nginx'
      ? ['-e', 'stderr', '-p', folder, '-c', file]
      : ['run', '--config', file, '--adapter', 'caddyfile']
  const program = await startProgram({
    ...{ command: [programPath(name), ...args], cwd: folder, port: site.port },
    environment: { HOME: folder },
  })
  return {
    url: `https://localhost:${site.port}`,
    /** The certificate of the authority, as PEM. */
    authority: authority.pem,
    async [Symbol.asyncDispose]() {
      await program[Symbol.asyncDispose]()
      await rm(folder, { recursive: true })
    },
  }
}

async function documentedBlock(language: string): Promise<string> {
  const page = await readFile(new URL('../../docs/operate/operating.md', import.meta.url), 'utf8')
  return page.split(`\`\`\`${language}\n`)[1]?.split('\n```')[0] ?? ''
}

function nginxFile({ folder, block, port, upstream, certificateFile, keyFile }: Site): string {
  const site = replaceEach(block, {
    '127.0.0.1:4000': upstream,
    'listen 443': `listen 127.0.0.1:${port}`,
    'server_name webhooks.example.com': 'server_name localhost',
    '/etc/ssl/webhooks.example.com.pem': quoted(certificateFile),
    '/etc/ssl/webhooks.example.com.key': quoted(keyFile),
  })
  const bodies = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (kind) => `${kind}_temp_path ${quoted(path.join(folder, kind))};`,
  )
  return `daemon off;
${process.getuid?.() === 0 ? 'user root;' : ''}
pid ${quoted(path.join(folder, 'pid'))};
events {}
http {
access_log off;
${bodies.join('\n')}
${site}
}
`
}

function caddyFile({ block, port, upstream, certificateFile, keyFile }: Site): string {
  const site = replaceEach(block, {
    '127.0.0.1:4000': upstream,
    'webhooks.example.com {': `https://localhost:${port} {
  bind 127.0.0.1
  tls ${quoted(certificateFile)} ${quoted(keyFile)}`,
  })
  return `{
  admin off
  auto_https disable_redirects
}
${site}
`
}

/** A path in a configuration of nginx or Caddy. */
function quoted(file: string): string {
  return `"${file.replaceAll(/["\\]/g, '\\$&')}"`
}

function replaceEach(text: string, replacements: Readonly<Record<string, string>>): string {
  return Object.entries(replacements).reduce((result, [from, to]) => {
    if (!result.includes(from)) throw new Error(`docs/operate/operating.md does not have ${from}.`)
    return result.replaceAll(from, () => to)
  }, text)
}
