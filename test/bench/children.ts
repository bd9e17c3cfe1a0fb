import type { ChildProcess } from 'node:child_process'

const running = new Set<ChildProcess>()

/** Remembers a child, so that it does not outlive a bench that is broken off. */
export function endWithBench<Child extends ChildProcess>(child: Child): Child {
  running.add(child)
  child.once('exit', () => running.delete(child))
  return child
}

/** Ends all children at once; what they were doing no longer matters. */
export function killChildren(): void {
  for (const child of running) child.kill('SIGKILL')
}
