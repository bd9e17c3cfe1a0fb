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
 * The certificate authority of a trial installation, in `<dataDir>/authority/`: the sender trusts `ca.pem`,
 * local receivers are certified with `ca.key`. Its name constraints admit nothing but this machine's loopback,
 * so that a stolen key, even of an authority that a browser trusts, can impersonate nobody.
 */
export interface LocalAuthority {
  readonly certificateFile: string
  readonly certificatePem: string
  /** Valid for 30 days. `hosts` are `localhost`, names below it, or loopback addresses; anything else throws. */
  issueServerCertificate(hosts: readonly string[]): Promise<{ certPem: string; keyPem: string }>
}

const DAY_MS = 86_400_000
/** Twice a leaf's life: no leaf outlives its authority. */
const RENEW_BEFORE_DAYS = 2 * LEAF_DAYS

/**
 * Reads the authority, or makes it: once, however many processes ask at the same time.
 * One that is unreadable or expires within 60 days is set aside as `authority.replaced-…` and made anew.
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
    // Seen twice alike, it is not half of an old pair and half of a new one.
    if (digest === before) await setAside(directory, digest)
    await install(directory, await createAuthority(now))
    before = digest
  }
  throw new Error(`${directory} holds no usable certificate authority. Remove it and try again.`)
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

/** Both files appear at once, by renaming their directory, which fails where one that is not empty exists. */
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

/** The name says what is replaced, so of two processes only one succeeds, and never with the other's new one. */
async function setAside(directory: string, digest: string): Promise<void> {
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
