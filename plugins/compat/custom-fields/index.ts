import { definePlugin } from '../../public.ts'
import { switchedOn } from '../switched-on.ts'
import type { FieldValues } from './fields.ts'
import type { FieldGroup } from './model.ts'

export type { FieldValues, ValueFormat } from './fields.ts'
export type { Field, FieldGroup, Layout, LocationRule } from './model.ts'
export type { Target, TargetKind, TargetType } from './targets.ts'

/** The fields that the database defines, and their values. */
export interface CustomFields {
  /** Returns all groups of fields, in their order. */
  groups(): readonly FieldGroup[]
  /** Returns the reader and writer of values. Call it after `rest_api_init`. */
  values(): FieldValues
}

declare module '../../../kernel/index.ts' {
  interface Services {
    /**
     * The fields that Advanced Custom Fields has defined, and their values.
     * @example
     * const values = services.customFields.values()
     * const target = await values.target('post', 12, request)
     */
    customFields: CustomFields
  }
}

/** Serves the fields of Advanced Custom Fields in the field `acf` of posts, terms, users and comments. */
export default definePlugin({
  name: 'custom-fields',
  description: 'Field acf of Advanced Custom Fields: definitions and values of custom fields.',
  needs: [
    'changes',
    'comments',
    'content-rendering',
    'content-types',
    'extra-fields',
    'media',
    'meta',
    'permalinks',
    'posts',
    'roles',
    'settings',
    'taxonomies',
    'terms',
    'users',
  ],
  uses: ['oembed'],
  after: ['custom-types'],
  provides: ['customFields'],
  startsIf: switchedOn('custom-fields'),
  async apply(plugin) {
    // Loaded on demand, because most sites have no custom fields.
    const { startCustomFields } = await import('./start.ts')
    await startCustomFields(plugin)
  },
})
