import { createPrivateKey, X509Certificate } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { createAuthority, issueServerCertificate, type PemPair } from './local-certificates.ts'

/**
 * The certificate authority of a trial installation, in `<dataDir>/authority/`. The sender trusts `ca.pem`;
 * `ca.key` signs the certificates of local receivers. Its name constraints permit only this machine's loopback, so
 * a stolen key cannot impersonate another host, even if a browser trusts the authority.
 */
export interface LocalAuthority {
  readonly certificateFile: string
  readonly certificatePem: string
  /** Valid for 30 days. `hosts` are `localhost`, its subdomains or loopback addresses; throws for anything else. */
  issueServerCertificate(hosts: readonly string[]): Promise<{ certPem: string; keyPem: string }>
}

/** Reads the authority, or creates it: only once, even if several processes start at the same time. */
export async function ensureLocalAuthority(dataDir: string): Promise<LocalAuthority> {
  const directory = path.join(dataDir, 'authority')
  await mkdir(dataDir, { recursive: true })
  if (!existsSync(directory)) await install(directory, await createAuthority())
  const pair = await readPair(directory)
  if (pair === null) {
    throw new Error(`${directory} has no usable certificate authority. Remove it and try again.`)
  }
  return {
    certificateFile: path.join(directory, 'ca.pem'),
    certificatePem: pair.certPem,
    issueServerCertificate: (hosts) => issueServerCertificate(pair, hosts),
  }
}

/** Null if a file is missing, or the certificate has expired or is not that of the key. */
async function readPair(directory: string): Promise<PemPair | null> {
  try {
    const certPem = await readFile(path.join(directory, 'ca.pem'), 'utf8')
    const keyPem = await readFile(path.join(directory, 'ca.key'), 'utf8')
    const certificate = new X509Certificate(certPem)
    const isUsable =
      certificate.checkPrivateKey(createPrivateKey(keyPem)) && certificate.validToDate > new Date()
    return isUsable ? { certPem, keyPem } : null
  } catch {
    return null
  }
}

/** Renaming their directory makes both files appear together. It fails if that of another process exists. */
async function install(directory: string, pair: PemPair): Promise<void> {
  const fresh = await mkdtemp(`${directory}.new-`)
  try {
    await writeFile(path.join(fresh, 'ca.key'), pair.keyPem, { mode: 0o600 })
    await writeFile(path.join(fresh, 'ca.pem'), pair.certPem)
    await rename(fresh, directory).catch((error) => {
      // Another process was first.
      if (!existsSync(directory)) throw error
    })
  } finally {
    await rm(fresh, { recursive: true, force: true })
  }
}
