import type { Tasks } from '../../../src/queue/task-runs.ts'

/** Tasks that do nothing, but for the given ones. */
export function createTasks(tasks: Partial<Tasks>): Tasks {
  const idle = async () => {}
  return {
    deliver: idle,
    release_backlog: idle,
    cancel_deliveries: idle,
    recover_deliveries: idle,
    maintain: idle,
    sweep: idle,
    roll_up: idle,
    ...tasks,
  }
}
