import { DomainError } from '../../lib/errors.ts'

const MAX_LISTED = 20

/** The problems of a file, or of one event type of a file. */
export class UnusableCatalogue extends Error {
  readonly problems: readonly string[]

  constructor(problems: readonly string[]) {
    super(messageOf(problems))
    this.problems = problems
  }
}

export function unusable(problems: readonly string[]): UnusableCatalogue {
  return new UnusableCatalogue(problems)
}

function messageOf(problems: readonly string[]): string {
  const listed = problems.slice(0, MAX_LISTED).map((problem) => `  ${problem}`)
  const more = problems.length - listed.length
  return [
    'The event types cannot be imported. Nothing was changed.',
    ...listed,
    ...(more > 0 ? [`  And ${more} more.`] : []),
  ].join('\n')
}

export function changedMeanwhile(): DomainError {
  return new DomainError(
    'conflict',
    'Somebody changed the catalogue during the import. Nothing was changed; import again.',
  )
}
