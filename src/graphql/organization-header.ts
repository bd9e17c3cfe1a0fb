/** The request header in which an operator names the organization to act for. */
export const ORGANIZATION_HEADER = 'posthorn-organization'
