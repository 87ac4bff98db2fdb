import { defineErrors } from '../../../kernel/index.ts'

export const errors = defineErrors({
  FIELD_NOT_INDEXED: (name: string, objects: string, hint: string) =>
    `Lists of ${objects} cannot be filtered or sorted by ${name}: register it with filterable or sortable for all of them${hint}`,
  FIELD_COMPARE_UNKNOWN: (name: string, compare: string, allowed: string) =>
    `${name} does not allow the comparison ${compare}: use ${allowed}.`,
  FIELD_VALUE_INVALID: (name: string, reason: string) => `A condition on ${name} has an invalid value: ${reason}`,
  FIELD_CONDITION_INVALID: () =>
    `where of a query must be a list of conditions: [{ meta: 'price', compare: 'gte', value: 10 }].`,
  FIELD_SQL_INVALID: () =>
    'conditions of a query must be a list of functions that return SQL, and sort such a function: ({ ref, sql }) => sql`${ref("id")} > 7`.',
  rest_forbidden_filter: [403, (name: string) => `You may not limit lists by ${name}.`],
  rest_forbidden_orderby: [403, (name: string) => `You may not sort lists by ${name}.`],
})
