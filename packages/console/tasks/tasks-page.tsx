import { Page } from '../components/page/page.tsx'
import { Deletions } from '../organizations/deletions.tsx'
import { useSession } from '../session/session.tsx'
import { TaskList } from './task-list.tsx'

/** All work that goes on in the background. */
export default function TasksPage() {
  const { can } = useSession()
  return (
    <Page
      title="Jobs"
      description="Work that goes on in the background: redeliveries, cancellations, recoveries, erasures and deletions."
    >
      {can('admin') && <Deletions />}
      <TaskList label="Jobs, newest first" webhookId={null} />
    </Page>
  )
}
