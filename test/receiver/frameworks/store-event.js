/** The code of a user, in the tests of frameworks. */
const failed = new Set()

export async function storeEvent(event) {
  if (event.data.failOnce && !failed.has(event.id)) {
    failed.add(event.id)
    throw new Error('The disk is full.')
  }
  console.log(`stored ${event.id}`)
}
