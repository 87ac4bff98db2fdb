import { definePlugin } from '../../../kernel/index.ts'
import { FieldIndex } from './service.ts'

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
export type { AskedOfFields, FieldIndex } from './service.ts'

declare module '../../../kernel/index.ts' {
  interface Services {
    /** Fields that lists are limited to and ordered by. */
    fieldIndex: FieldIndex
  }
}

/** Lists limited to and ordered by registered meta and fields: their values, indexed and kept as they are stored. */
export default definePlugin({
  name: 'field-index',
  needs: ['store'],
  provides: ['fieldIndex'],
  // To see which values of a large site have to be made takes its time.
  deadline: 3600,
  apply(plugin) {
    const { hooks, onRemove, provide, services } = plugin
    const index = new FieldIndex(plugin)
    provide('fieldIndex', index)
    const { keeper } = index
    onRemove(() => keeper.stop(), 'keeper of the values')
    services.store.onBeforeCommit(
      (written) => keeper.keep(written),
      (table) => keeper.concerns(table),
    )
    hooks.server_starting.tapPromise('field-index', () => keeper.sync(true))
    hooks.server_listening.tapPromise('field-index', async () => {
      if (index.all().length > 0) keeper.drainLater()
    })
  },
})
