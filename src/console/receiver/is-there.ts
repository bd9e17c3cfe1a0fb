/** Whether the server has a test receiver, which only embedded mode has. It writes the answer into the HTML. */
export const hasTestReceiver =
  document.querySelector<HTMLMetaElement>('meta[name="posthorn-receiver"]')?.content === 'on'
