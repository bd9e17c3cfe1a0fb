import { type Caller, hasScope } from '../access/scope.ts'
import { fieldIssue, invalid } from '../lib/errors.ts'

/** Whoever chooses a signing secret knows the secret, as after a rotation. Throws `invalid` without the scope for that. */
export function requireSecretScope(
  caller: Caller,
  { secret }: { readonly secret?: unknown },
): void {
  if (secret == null || hasScope(caller, 'secrets:rotate')) return
  const rule =
    'needs the scope secrets:rotate. Omit the field, so that Posthorn makes a secret, or use a key with this scope.'
  throw invalid([fieldIssue(['secret'], 'scope_not_held', rule)])
}
