import { DomainError } from '../../lib/errors.ts'

const MAX_LISTED = 20

/** One error about all problems of a file, of which nothing is imported. */
export function unusable(problems: readonly string[]): Error {
  const listed = problems.slice(0, MAX_LISTED).map((problem) => `  ${problem}`)
  const more = problems.length - listed.length
  return new Error(
    [
      'The event types cannot be imported. Nothing was changed.',
      ...listed,
      ...(more > 0 ? [`  And ${more} more.`] : []),
    ].join('\n'),
  )
}

export function changedMeanwhile(): DomainError {
  return new DomainError(
    'conflict',
    'Somebody changed the catalogue during the import. Nothing was changed; import again.',
  )
}
