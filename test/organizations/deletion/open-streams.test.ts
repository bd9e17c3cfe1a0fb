import { expect, test } from 'vitest'
import { COMMAND_LINE } from '../../../src/auth/access/actor.ts'
import { deleteOrganization } from '../../../src/organizations/deletion/delete-organization.ts'
import type { Reader } from '../../../src/streams/event-stream/follow-events.ts'
import { rowsWith } from '../../erasure/search-everywhere.ts'
import { numbersOf, readerOf, streamsOf, take } from '../../streams/event-stream/support/reader.ts'
import { useTestApp } from '../../support/app.ts'
import { createTenant, JOINED } from '../../support/factories.ts'
import { finishDeletion } from './support/finish-deletion.ts'

const posthorn = await useTestApp({ role: 'api' })

test('the open streams of a deleted organization end, and write no row any more; those of another one go on', async () => {
  const { database, services } = posthorn
  const [gone, kept] = [await createTenant(database.prisma), await createTenant(database.prisma)]
  const open = async (reader: Reader) => await streamsOf(posthorn).subscribe(reader, {})
  const [ending, lasting] = [await open(readerOf(gone)), await open(readerOf(kept))]
  const publish = (organizationId: string, n: number) =>
    services.publishEvents(organizationId, [{ type: JOINED, data: { n } }])
  await publish(gone.organizationId, 1)
  expect(numbersOf(await take(ending, 1))).toEqual([1])
  const { publicOrganizationId: id, organizationId } = gone
  await deleteOrganization(database.prisma, id, { force: true }, COMMAND_LINE)
  await finishDeletion(database, organizationId)
  await expect(ending.next()).rejects.toThrow('revoked')
  await expect(open(readerOf(gone))).rejects.toThrow()
  await publish(kept.organizationId, 2)
  expect(numbersOf(await take(lasting, 1))).toEqual([2])
  await lasting.return?.()
  expect(await rowsWith(database.pool, organizationId)).toEqual(['bulk_tasks'])
})
