import { DomainError } from '../../lib/errors.ts'
import { ChallengeNeeded, type EndpointProof, type SendChallenge } from './challenge.ts'
import { EndpointUnverified } from './endpoint-unverified.ts'

interface Deps {
  readonly sendChallenge?: SendChallenge
  readonly proof?: EndpointProof
}

/**
 * Runs a change. If it needs a verified endpoint, its transaction ends, the endpoint answers, and the change runs again with
 * the proof. Throws an `EndpointUnverified`, `rate_limited`, or `conflict` if the URL was changed meanwhile.
 */
export async function withChallenge<D extends Deps, T>(
  deps: D,
  organizationId: string,
  run: (deps: D) => Promise<T>,
): Promise<T> {
  try {
    return await run(deps)
  } catch (error) {
    if (!(error instanceof ChallengeNeeded) || deps.proof) throw error
    const proof = await verifyEndpoint(deps, organizationId, error)
    return await run({ ...deps, proof }).catch(explainConflict)
  }
}

async function verifyEndpoint(
  { sendChallenge }: Deps,
  organizationId: string,
  { challenge, created }: ChallengeNeeded,
): Promise<EndpointProof> {
  if (!sendChallenge) throw new Error('This process sends no challenges.')
  const reason = await sendChallenge(organizationId, challenge)
  if (reason !== null) throw new EndpointUnverified(reason)
  return { url: challenge.url, verifiedAt: new Date(), created }
}

function explainConflict(error: unknown): never {
  if (!(error instanceof ChallengeNeeded)) throw error
  throw new DomainError(
    'conflict',
    'The URL of the webhook was changed while its endpoint answered the challenge. Nothing was changed. Repeat the call.',
  )
}
