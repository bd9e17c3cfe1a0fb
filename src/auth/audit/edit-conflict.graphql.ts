import { builder } from '../../graphql/builder.ts'
import { hasScope } from '../access/scope.ts'
import { EditConflict } from './edit-conflict.ts'

builder.objectType(EditConflict, {
  name: 'EditConflictError',
  description: 'There is a change after `ifRevision`. Nothing was changed.',
  interfaces: ['UserError'],
  fields: (t) => ({
    revision: t.exposeInt('revision', {
      description: 'The present revision. As `ifRevision`, it overwrites the changes.',
    }),
    changedAt: t.expose('changedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When the last change was made. Null if the audit log has lost it.',
    }),
    changedBy: t.string({
      nullable: true,
      description:
        'Who made the last change: the person, or the API key by its name or id. Null without the scope `keys:manage`, which reads the audit log, and for changes by the command line.',
      resolve: ({ changedBy }, _args, context) =>
        hasScope(context.caller, 'keys:manage') ? changedBy : null,
    }),
  }),
})
