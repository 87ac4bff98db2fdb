import { definePlugin } from '../../../kernel/index.ts'
import { FieldIndex, type RequestFieldConditions } from './service.ts'

export { finds, matchingRows, meetsTest, objectsWith, SORTED, sortColumnOf, hasPlace } from './conditions.ts'
export { COMPARES, comparesOf } from './field.ts'
export type { Compare, FieldCondition, FieldOrder, IndexedField, IndexedType, ObjectKind, Queryable } from './field.ts'
export { isOfOrderedPage } from './ordered-page.ts'
export type { OwnCondition, OwnExpression, OwnRow } from './own-condition.ts'
export {
  anyValue,
  onlyTest,
  orderedTest,
  untestedBy,
  type Bound as FieldBound,
  type FieldPlan,
  type FieldOrdering,
  type FieldSort,
  type Key as FieldKey,
  type FieldTest,
} from './plan.ts'
export { goesByFields, meetsFields, tagsOfFields, type FieldQuery } from './query.ts'
export type { FieldIndex, RequestFieldConditions } from './service.ts'

/** @deprecated Use `RequestFieldConditions`. */
export type AskedOfFields = RequestFieldConditions

declare module '../../../kernel/index.ts' {
  interface Services {
    /** Fields by which lists can be filtered and sorted. */
    fieldIndex: FieldIndex
  }
}

/**
 * Filters and sorts lists by registered meta and fields. Their values are indexed in the transactions that change them.
 */
export default definePlugin({
  name: 'field-index',
  needs: ['store'],
  provides: ['fieldIndex'],
  // On a large site, checking which values must be indexed takes long.
  deadline: 3600,
  apply(plugin) {
    const { hooks, onRemove, provide, services } = plugin
    const index = new FieldIndex(plugin)
    provide('fieldIndex', index)
    const { keeper } = index
    onRemove(() => keeper.stop(), 'field indexer')
    services.store.onBeforeCommit(
      (written) => keeper.indexChanged(written),
      (table) => keeper.concerns(table),
    )
    hooks.server_starting.tapPromise('field-index', () => keeper.sync(true))
    hooks.server_listening.tapPromise('field-index', async () => {
      if (index.all().length > 0) keeper.drainLater()
    })
  },
})
