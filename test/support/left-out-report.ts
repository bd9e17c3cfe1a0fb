import type { Reporter, TestCase, TestModule, Vitest } from 'vitest/node'

/** Prints one line for each reason why tests were left out. */
export class LeftOutReport implements Reporter {
  readonly #onChange: readonly string[]
  #projects: readonly string[] = []

  /** `onChange`: the projects that `npm test` leaves out. */
  constructor(onChange: readonly string[]) {
    this.#onChange = onChange
  }

  onInit({ projects }: Vitest): void {
    this.#projects = projects.map(({ name }) => name)
  }

  onTestRunEnd(modules: readonly TestModule[]): void {
    const skipped = modules.flatMap((module) => [...module.children.allTests('skipped')])
    for (const [reason, tests] of Map.groupBy(skipped, reasonOf)) {
      if (reason !== undefined) console.log(`${count(tests.length)} left out: ${reason}`)
    }
    const others = this.#onChange.filter((name) => !this.#projects.includes(name))
    if (others.length > 0 && this.#projects.length > 1) {
      console.log(
        `The tests of ${others.join(', ')} are left out: CI runs them when what they test changes (npm run test:all)`,
      )
    }
  }
}

function reasonOf(test: TestCase): string | undefined {
  const result = test.result()
  return test.meta().leftOut ?? (result.state === 'skipped' ? result.note : undefined)
}

const count = (tests: number) => (tests === 1 ? '1 test' : `${tests} tests`)
