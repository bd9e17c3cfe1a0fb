import { createHash, createPrivateKey, X509Certificate } from 'node:crypto'
import { mkdir, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import {
  createAuthority,
  issueServerCertificate,
  LEAF_DAYS,
  type PemPair,
} from './local-certificates.ts'

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

const DAY_MS = 86_400_000
/** Twice the validity of a server certificate, so that none outlives its authority. */
const RENEW_BEFORE_DAYS = 2 * LEAF_DAYS

/**
 * Reads the authority, or creates it: only once, even if several processes start at the same time.
 * An authority that is unreadable or expires within 60 days is moved to `authority.replaced-…` and replaced.
 */
export async function ensureLocalAuthority(
  dataDir: string,
  now = new Date(),
): Promise<LocalAuthority> {
  const directory = path.join(dataDir, 'authority')
  await mkdir(dataDir, { recursive: true })
  let before = ''
  for (let round = 0; round < 5; round++) {
    const pair = await readPair(directory)
    if (isUsable(pair, now)) return openAuthority(directory, pair)
    const digest = createHash('sha256').update(`${pair.certPem}\n${pair.keyPem}`).digest('hex')
    // Read twice with the same content: so it is not half of an old pair and half of a new one.
    if (digest === before) await moveAway(directory, digest)
    await install(directory, await createAuthority(now))
    before = digest
  }
  throw new Error(`${directory} has no usable certificate authority. Remove it and try again.`)
}

async function readPair(directory: string): Promise<PemPair> {
  return {
    certPem: await readIfPresent(path.join(directory, 'ca.pem')),
    keyPem: await readIfPresent(path.join(directory, 'ca.key')),
  }
}

async function readIfPresent(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return ''
    throw error
  }
}

function isUsable(pair: PemPair, now: Date): boolean {
  try {
    const certificate = new X509Certificate(pair.certPem)
    const renewAt = certificate.validToDate.getTime() - RENEW_BEFORE_DAYS * DAY_MS
    return (
      certificate.ca &&
      certificate.checkPrivateKey(createPrivateKey(pair.keyPem)) &&
      certificate.validFromDate <= now &&
      now.getTime() < renewAt
    )
  } catch {
    return false
  }
}

/** Renaming their directory makes both files appear together. It fails if a directory that is not empty exists. */
async function install(directory: string, pair: PemPair): Promise<void> {
  const fresh = await mkdtemp(`${directory}.new-`)
  try {
    await writeFile(path.join(fresh, 'ca.key'), pair.keyPem, { mode: 0o600 })
    await writeFile(path.join(fresh, 'ca.pem'), pair.certPem)
    await renameUnlessTaken(fresh, directory)
  } finally {
    await rm(fresh, { recursive: true, force: true })
  }
}

/** The digest of the old pair in the name prevents a second process from moving the new authority away. */
async function moveAway(directory: string, digest: string): Promise<void> {
  await renameUnlessTaken(directory, `${directory}.replaced-${digest.slice(0, 12)}`)
}

async function renameUnlessTaken(from: string, to: string): Promise<void> {
  try {
    await rename(from, to)
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? ''
    if (!['ENOTEMPTY', 'EEXIST', 'EPERM', 'ENOENT'].includes(code)) throw error
  }
}

function openAuthority(directory: string, pair: PemPair): LocalAuthority {
  return {
    certificateFile: path.join(directory, 'ca.pem'),
    certificatePem: pair.certPem,
    issueServerCertificate: (hosts) => issueServerCertificate(pair, hosts),
  }
}
