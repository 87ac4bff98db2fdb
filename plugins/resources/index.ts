import { definePlugin } from '../../kernel/index.ts'
import { linkCompactor } from './compact-links.ts'
import { Controller } from './controller.ts'
import { resourceHooks } from './hooks.ts'
import { slugHooks } from './slug-owners.ts'
import { References } from './references.ts'
import { CharacterBudget } from './response-budget.ts'

export { noteAuthor, registerFor } from './authors.ts'
export { allowedMethods } from './allowed-methods.ts'
export { CollectionController } from './collection-controller.ts'
export { Controller, type ControllerClass } from './controller.ts'
export {
  datePair,
  formatUtc,
  gmtOffset,
  isTimeZone,
  localFromUtc,
  nextOffsetChange,
  toIso,
  toIsoUtc,
  utcFromLocal,
  zoneOffset,
  type DatePair,
  type TimeZone,
} from './dates.ts'
export { SKIPS_FAILING } from './skips-failing.ts'
export { emptyAsLists } from './empty-as-lists.ts'
export { FieldSet, namesOf, parseFields } from './field-set.ts'
export { SCHEMA_DRAFT, type ItemContext, type ItemSchema, type PropertySchema } from './item-schema.ts'
export { includedIds, pageAfter, pageRange, valuesOf } from './list-arguments.ts'
export { CURSOR_ARGUMENT, cursorOf, foreignCursor, noCursorFor, type ListCursor } from './list-cursor.ts'
export type { Page } from './pagination.ts'
export { withTargetHints, type LinkedItem } from './target-hints.ts'
export { referencedId, type ReferenceCheck, type References } from './references.ts'
export { RegistryController, shownField, type ItemKey } from './registry-controller.ts'
export type {
  CollectionInput,
  ItemList,
  ItemRemover,
  MetaSubject,
  Permission,
  ResourceInput,
  ResourcePermissions,
  ResourceReader,
  ResourceWriter,
  Transactions,
} from './resource.ts'
export { ResourceController } from './resource-controller.ts'
export { filterByContext, Selection } from './selection.ts'
export { firstFreeSlug } from './free-slug.ts'
export { slugOwners, type SlugOwner, type WantedSlug } from './slug-owners.ts'
export { cutSlug, decodeName, encodeName, MAX_SLUG_BYTES, normalizeSlug, slugify, slugsOfName } from './slug.ts'

declare module '../../kernel/index.ts' {
  interface Services {
    /**
     * Refuses arguments that name unknown objects. Plugins register a source for each kind of objects.
     * @example
     * services.resources.registerReference('greenhouse', async (id, { scope }) =>
     *   (await services.posts.get(Number(id), scope))?.type === 'greenhouse'
     *     ? null
     *     : new RestError('greenhouse_unknown', `No greenhouse has the ID ${id}.`, { status: 400 }),
     * )
     */
    resources: References
  }
}

/** Hooks and base classes of REST resources: routes, items, links, pages of lists, and references to other objects. */
export default definePlugin({
  name: 'resources',
  needs: ['arguments'],
  provides: ['resources'],
  hooks: { ...resourceHooks, ...slugHooks },
  apply({ hooks, branding, provide }) {
    const references = new References()
    provide('resources', references)
    // Late, so that routes that other taps add or change are included.
    hooks.rest_endpoints.tap({ name: 'resources', stage: 900 }, (routes) => references.guard(routes))
    hooks.rest_api_init.tap('resources', (server) => {
      server.responseBudget = new CharacterBudget(server.config.limits)
      server.compactLinks = linkCompactor(hooks, branding)
    })
    // Runs first: taps of other plugins look up the object types that controllers serve.
    hooks.registrations_checked.tap({ name: 'resources', stage: -100 }, (check) =>
      check.serve(Controller.served(hooks)),
    )
  },
})
