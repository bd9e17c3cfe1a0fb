import { randomBytes } from 'node:crypto'
import type { PrismaClient } from '../../src/db/generated/prisma/client.ts'
import { createAuthority, issueServerCertificate } from '../../src/embedded/local-certificates.ts'
import { createKeyring } from '../../src/encryption/keyring.ts'
import { openTestReceiver, type TestReceiver } from '../../src/test-receiver/test-receiver.ts'

/** A test receiver on a free port, with a certificate of an authority of its own. */
export async function openReceiver(prisma: PrismaClient): Promise<TestReceiver> {
  return await openTestReceiver({ ...(await receiverOptions(prisma)), port: 0 })
}

export async function receiverOptions(prisma: PrismaClient) {
  const authority = await createAuthority(new Date())
  return {
    issueCertificate: () => issueServerCertificate(authority, ['localhost']),
    headerPrefix: 'wh-',
    prisma,
    keyring: createKeyring([randomBytes(32)]),
    onWarning() {},
  }
}
