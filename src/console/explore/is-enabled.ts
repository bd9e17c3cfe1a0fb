/** Whether the server offers Explore on this page (POSTHORN_GRAPHIQL). It writes the answer into the HTML. */
export const isExploreEnabled =
  document.querySelector<HTMLMetaElement>('meta[name="posthorn-explore"]')?.content === 'on'
