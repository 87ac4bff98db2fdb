import { defineErrors, sentence } from '../../../kernel/index.ts'

export const errors = defineErrors({
  META_TYPE_UNKNOWN: (key: string, type: string) =>
    `The meta key ${key} has the unknown type ${type}: use string, integer, number, boolean, array or object.`,
  META_OBJECT_UNKNOWN: (type: string) =>
    `Objects of type ${type} have no meta: register their table with meta.addObjectType() first.`,
  META_INVALID: (plugin: string, objectType: string, key: string, reason: string) =>
    `${plugin} registers the meta key ${key} of ${objectType} wrongly: ${sentence(reason)}`,
  META_ITEMS_MISSING: (key: string) =>
    `The meta key ${key} is a list in the REST API without an item schema: define show_in_rest.schema.items.`,
  META_KEY_TOO_LONG: (key: string, maximum: number) =>
    `The meta key ${key.slice(0, 40)}… is too long: use at most ${maximum} characters.`,
  META_NOT_QUERYABLE: (key: string, type: string, objectType: string) =>
    `The meta key ${key} (${type} of ${objectType}) cannot be filterable or sortable: use string, integer, ` +
    'number or boolean meta of post, term, comment or user.',
  META_COMPARE_UNKNOWN: (key: string, compare: string, hint: string) =>
    `The meta key ${key} is filterable by ${compare}, which is not a comparison${hint}`,
  META_TYPES_DIFFER: (key: string, type: string, shown: string) =>
    `The meta key ${key} cannot be filterable or sortable: its type is ${type}, but its schema has ${shown}. Use the same type for both.`,
  META_QUERY_UNDECIDED: (key: string) =>
    `The meta key ${key} has a prepare_callback, which can hide its value: decide in query_callback who may filter and sort by it.`,
  rest_cannot_update: [403, (name: string) => `You may not change the meta field ${name}.`],
  rest_cannot_delete: [403, (name: string) => `You may not remove the meta field ${name}.`],
  META_DEFAULT_INVALID: (key: string, reason: string) =>
    `The default of the meta key ${key} does not match its schema: ${reason}`,
})
