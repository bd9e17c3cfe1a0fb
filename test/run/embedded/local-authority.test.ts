import { execFile } from 'node:child_process'
import { createPrivateKey, KeyObject } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { createServer, request } from 'node:https'
import { isIP } from 'node:net'
import path from 'node:path'
import { checkServerIdentity } from 'node:tls'
import { promisify } from 'node:util'
import { beforeEach, expect, test } from 'vitest'
import { ensureLocalAuthority } from '../../../src/run/embedded/local-authority.ts'
import { closeServer, listen } from '../../support/listen.ts'
import { useFolder } from '../../support/use-folder.ts'

const HOSTS = ['localhost', '127.0.0.1', '::1']

const folder = await useFolder('authority')
let dataDir: string

beforeEach(async () => {
  dataDir = await mkdtemp(path.join(folder, 'data '))
})

test('a client that trusts the authority completes a TLS handshake, by each name of the certificate and no other', async () => {
  const authority = await ensureLocalAuthority(dataDir)
  const leaf = await authority.issueServerCertificate()
  for (const [servername, result] of [
    ...HOSTS.map((host) => [host, 'trusted'] as const),
    ['example.com', 'ERR_TLS_CERT_ALTNAME_INVALID'],
  ] as const) {
    expect(await handshake(leaf, authority.certificatePem, servername)).toBe(result)
  }
})

test.each([
  ['dns', 'example.com'],
  ['ip', '10.0.0.1'],
] as const)(
  'a stolen key is harmless: clients reject its certificate for the %s %s',
  async (type, host) => {
    const authority = await ensureLocalAuthority(dataDir)
    const leaf = await forge(type, host)
    await expect(handshake(leaf, authority.certificatePem, host)).resolves.toBe(
      'UNSPECIFIED: permitted subtree violation',
    )
  },
)

test('the authority survives a restart, and only its owner can read the key', async () => {
  const first = await ensureLocalAuthority(dataDir)
  const second = await ensureLocalAuthority(dataDir)
  expect(second.certificatePem).toBe(first.certificatePem)
  expect(await readFile(first.certificateFile, 'utf8')).toBe(first.certificatePem)
  const { mode } = await stat(path.join(dataDir, 'authority', 'ca.key'))
  expect(mode & 0o777).toBe(0o600)
})

test('concurrent calls in several processes get the same authority', async () => {
  const certificates = await Promise.all([ensureElsewhere(), ensureElsewhere(), ensureElsewhere()])
  expect(new Set(certificates).size).toBe(1)
  expect((await ensureLocalAuthority(dataDir)).certificatePem).toBe(certificates[0])
})

test.each([
  ['whose key is missing', 'ca.key', null],
  ['whose key is empty', 'ca.key', ''],
  ['whose certificate is missing', 'ca.pem', null],
  ['whose certificate is garbled', 'ca.pem', '-----BEGIN CERTIFICATE-----\nx\n'],
])('an authority %s is refused with the remedy', async (_case, file, content) => {
  await ensureLocalAuthority(dataDir)
  const target = path.join(dataDir, 'authority', file)
  await (content === null ? rm(target) : writeFile(target, content))
  await expect(ensureLocalAuthority(dataDir)).rejects.toThrow('Remove it and try again.')
})

interface Pair {
  certPem: string
  keyPem: string
}

async function handshake({ certPem, keyPem }: Pair, ca: string, host: string): Promise<string> {
  const server = createServer({ cert: certPem, key: keyPem }, (_request, response) => {
    response.end()
  })
  const port = await listen(server)
  try {
    const sent = request({
      port,
      ca,
      host: '127.0.0.1',
      servername: isIP(host) === 0 ? host : '',
      checkServerIdentity: (_connectedTo, certificate) => checkServerIdentity(host, certificate),
      agent: false,
    }).end()
    const [response] = await once(sent, 'response')
    response.resume()
    return 'trusted'
  } catch (error) {
    const { code = '', message } = error as NodeJS.ErrnoException
    return code === 'UNSPECIFIED' ? `${code}: ${message}` : code
  } finally {
    await closeServer(server)
  }
}

/** Issues a certificate with a stolen ca.key. */
async function forge(type: 'dns' | 'ip', host: string): Promise<Pair> {
  await ensureLocalAuthority(dataDir).then((own) => own.issueServerCertificate())
  const x509 = await import('@peculiar/x509')
  const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' }
  const read = (file: string) => readFile(path.join(dataDir, 'authority', file), 'utf8')
  const keys = await crypto.subtle.generateKey(algorithm, true, ['sign', 'verify'])
  const certificate = await x509.X509CertificateGenerator.create({
    subject: 'CN=Forged',
    issuer: new x509.X509Certificate(await read('ca.pem')).subject,
    publicKey: keys.publicKey,
    signingKey: createPrivateKey(await read('ca.key')).toCryptoKey(algorithm, false, [
      'sign',
    ]) as CryptoKey,
    signingAlgorithm: algorithm,
    extensions: [new x509.SubjectAlternativeNameExtension([{ type, value: host }])],
  })
  const keyPem = KeyObject.from(keys.privateKey).export({ type: 'pkcs8', format: 'pem' })
  return { certPem: certificate.toString('pem'), keyPem: keyPem.toString() }
}

async function ensureElsewhere(): Promise<string> {
  const module = JSON.stringify(
    new URL('../../../src/run/embedded/local-authority.ts', import.meta.url).href,
  )
  const code = `import { ensureLocalAuthority } from ${module}
    process.stdout.write((await ensureLocalAuthority(process.argv[1])).certificatePem)`
  const { stdout } = await promisify(execFile)(process.execPath, [
    ...['--input-type=module', '--eval', code],
    dataDir,
  ])
  return stdout
}
