import type { Tasks } from '../../../src/queue/jobs.ts'

/** The given tasks; all others do nothing. */
export function createTasks(tasks: Partial<Tasks>): Tasks {
  const idle = async () => {}
  return {
    deliver: idle,
    release_backlog: idle,
    fan_out: idle,
    cancel_deliveries: idle,
    continue_bulk_task: idle,
    delete_organization: idle,
    maintain: idle,
    sweep: idle,
    roll_up: idle,
    send_notice: idle,
    send_confirmation: idle,
    send_notices: idle,
    check_jobs: idle,
    ...tasks,
  }
}
