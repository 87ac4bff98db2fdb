import { defineErrors, sentence } from '../../../kernel/index.ts'

/** The errors of registering and writing meta. */
export const errors = defineErrors({
  META_TYPE_UNKNOWN: (key: string, type: string) =>
    `The meta key ${key} has the type ${type}: use string, integer, number, boolean, array or object.`,
  META_OBJECT_UNKNOWN: (type: string) =>
    `Objects of type ${type} have no meta: name their table with meta.addObjectType first.`,
  META_INVALID: (plugin: string, objectType: string, key: string, why: string) =>
    `${plugin} registers the meta key ${key} of ${objectType} wrongly: ${sentence(why)}`,
  META_ITEMS_MISSING: (key: string) =>
    `The meta key ${key} is a list that is shown: say in show_in_rest.schema.items what its items are.`,
  META_KEY_TOO_LONG: (key: string, longest: number) =>
    `The meta key ${key.slice(0, 40)}… is too long: a key has ${longest} characters at most.`,
  META_NOT_QUERYABLE: (key: string, type: string, objectType: string) =>
    `Lists cannot go by the meta key ${key} (${type} of ${objectType}): filterable and sortable are for string, integer, ` +
    'number and boolean meta of post, term, comment and user.',
  META_COMPARE_UNKNOWN: (key: string, compare: string, hint: string) =>
    `The meta key ${key} is filterable by ${compare}, which is no comparison${hint}`,
  META_TYPES_DIFFER: (key: string, type: string, shown: string) =>
    `Lists cannot go by the meta key ${key}: its type is ${type}, and its schema shows ${shown}. Give both the same.`,
  META_QUERY_UNDECIDED: (key: string) =>
    `The meta key ${key} has a prepare_callback, which may hide it: say by query_callback who may find objects by it.`,
  rest_cannot_update: [403, (name: string) => `You may not change the meta field ${name}.`],
  rest_cannot_delete: [403, (name: string) => `You may not remove the meta field ${name}.`],
  META_DEFAULT_INVALID: (key: string, why: string) =>
    `The default of the meta key ${key} does not fit its schema: ${why}`,
})
