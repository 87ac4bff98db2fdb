/** Library for caching plugins: dependencies of responses, and caches that are valid until the data changes. */
import { recordReads } from '../../../kernel/index.ts'
import { declared } from './declared.ts'
import { collectDependencies, currentDependencies } from './dependencies.ts'

export { declared, dependsOnMistake } from './declared.ts'
export {
  collectDependencies,
  collectInto,
  currentDependencies,
  Dependencies,
  dependsOn,
  doNotCache,
  doNotCachePart,
  cacheBriefly,
  cacheUntil,
  now,
  partOfCurrent,
  withoutDependencies,
} from './dependencies.ts'
export { fragmentsOf, type Fragment, type FragmentKind, type Fragments } from './fragments.ts'
export { Json, type StoredText } from './json.ts'
export { omitFailedPart } from './left-out.ts'
export { ItemBody, ListBody, responseToJson, type LinkTexts } from './response-body.ts'
export { stateOf, VersionedCache, type VersionSource } from './versioned-cache.ts'
export { schemeKey, viewOf } from './view-of.ts'

recordReads({ current: currentDependencies, collect: collectDependencies, declared })
