/**
 * The URL for a host application of a test: under any settings of the server it may write, fail and wait. The other settings
 * of the server stay.
 */
export function hostUrl(url: string): string {
  const changed = new URL(url)
  changed.searchParams.set('options', OPTIONS.map((option) => `-c ${option}`).join(' '))
  // `psql` reads a plus sign as one.
  return changed.href.replaceAll('+', '%20')
}

const OPTIONS = [
  'default_transaction_read_only=off',
  'exit_on_error=off',
  'statement_timeout=0',
  'lock_timeout=0',
  'idle_in_transaction_session_timeout=0',
  'idle_session_timeout=0',
]
