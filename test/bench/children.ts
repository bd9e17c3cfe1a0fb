import type { ChildProcess } from 'node:child_process'

const running = new Set<ChildProcess>()

/** Registers a child process for `killChildren`. */
export function killWithBench<Child extends ChildProcess>(child: Child): Child {
  running.add(child)
  child.once('exit', () => running.delete(child))
  return child
}

/** Kills all child processes when the benchmark is aborted. */
export function killChildren(): void {
  for (const child of running) child.kill('SIGKILL')
}
