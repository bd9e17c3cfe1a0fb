/** In the place of an organization's uuid: every organization. Only for operators at the command line. */
export const ALL_ORGANIZATIONS = Symbol('all organizations')
