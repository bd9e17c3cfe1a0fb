import { hasScope } from '../access/scope.ts'
import { builder } from '../graphql/builder.ts'
import { callerOf } from '../graphql/context.ts'
import { EditConflict, type FieldConflict } from './edit-conflict.ts'

const Conflict = builder.objectRef<FieldConflict>('FieldConflict').implement({
  description: 'A field of an update that was changed in the meantime.',
  fields: (t) => ({
    name: t.exposeString('name', { description: 'The name of the field in the input.' }),
    current: t.expose('current', {
      type: 'JSON',
      nullable: true,
      description: 'The present value, as in the input. For `headers`: the names only.',
    }),
    changedAt: t.expose('changedAt', {
      type: 'DateTime',
      nullable: true,
      description:
        'When the field was last changed. Null if the audit log no longer has the change.',
    }),
    changedBy: t.string({
      nullable: true,
      description:
        'Who changed the field: the person, or the API key by its name or id. Null without the scope `keys:manage`, which reads the audit log, and for changes by the command line.',
      resolve: ({ changedBy }, _args, context) =>
        hasScope(callerOf(context), 'keys:manage') ? changedBy : null,
    }),
  }),
})

builder.objectType(EditConflict, {
  name: 'EditConflictError',
  description:
    'Fields of the update were changed after the revision given as `ifRevision`. Nothing was changed. Changes of other fields cause no conflict.',
  interfaces: ['UserError'],
  fields: (t) => ({
    revision: t.exposeInt('revision', {
      description: 'The present revision. As `ifRevision`, it overwrites the changes.',
    }),
    fields: t.field({
      type: [Conflict],
      description: 'The fields in conflict, with their present values.',
      resolve: ({ fields }) => [...fields],
    }),
  }),
})
