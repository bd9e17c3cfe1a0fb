import { ALL_FAULTS, type Fault, SINGLE_FAULTS } from './fault.ts'

/** One fault in each round. Each is chosen once, in random order, before any repeats. */
export function* planSingles(
  count: number,
  only: string,
  random: () => number,
): Generator<readonly Fault[], never> {
  const wanted = select(SINGLE_FAULTS, only)
  const faults: Fault[] = []
  while (faults.length < count) faults.push(...shuffle(wanted, random))
  for (const fault of faults.slice(0, count)) yield [fault]
  throw new Error(`The plan has ${count} rounds.`)
}

/**
 * Two to five faults with different subjects in each round. Of each subject, each fault is chosen once before any repeats.
 */
export function* planCombinations(
  only: string,
  random: () => number,
): Generator<readonly Fault[], never> {
  const bySubject = Object.groupBy(select(ALL_FAULTS, only), ({ subject }) => subject)
  const subjects = Object.values(bySubject).map((faults) => repeat(faults, random))
  for (;;) {
    const count = 2 + Math.floor(random() * 4)
    yield shuffle(subjects, random)
      .slice(0, count)
      .map((faults) => faults.next().value)
  }
}

/** Yields each value once, in random order, before it repeats any. */
function* repeat<Value>(values: readonly Value[], random: () => number): Generator<Value, never> {
  for (;;) yield* shuffle(values, random)
}

function select(faults: readonly Fault[], only: string): Fault[] {
  const wanted = faults.filter(({ name, missing }) => !missing && name.includes(only))
  if (wanted.length === 0) throw new Error(`--only ${only}: no fault has a name with this text.`)
  return wanted
}

function shuffle<Value>(values: readonly Value[], random: () => number): Value[] {
  const left = [...values]
  const shuffled: Value[] = []
  while (left.length > 0) shuffled.push(...left.splice(Math.floor(random() * left.length), 1))
  return shuffled
}
