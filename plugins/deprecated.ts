/**
 * Deprecated names of exports of `svc-rest`, and of members of requests. They are removed in a later minor version
 * (docs/contributing/versions.md).
 */
import { outageOf, RestRequest, RestServer, shareOf, type Params } from '../kernel/index.ts'
import {
  cacheBriefly,
  cacheUntil,
  Dependencies,
  doNotCache,
  doNotCachePart,
  omitFailedPart,
} from './library/caching/index.ts'
import type { Requester } from './foundation/outgoing/index.ts'
import { addDeprecatedMembers, deprecatedAlias, deprecatedObject } from './library/deprecated-names/index.ts'
import { LONG_TEXT_LIMITS, UNLIMITED_TEXT } from './requests/arguments/index.ts'
import type { ResponseCacheService } from './responses/response-cache/index.ts'

/** @deprecated Use `Requester`. */
export type Asker = Requester

/** @deprecated Use `ResponseCacheService`. */
export type KeptPages = ResponseCacheService

/** @deprecated Use `doNotCache`. */
export const doNotKeep = deprecatedAlias('doNotKeep', 'doNotCache', doNotCache)

/** @deprecated Use `doNotCachePart`. */
export const doNotKeepPart = deprecatedAlias('doNotKeepPart', 'doNotCachePart', doNotCachePart)

/** @deprecated Use `cacheBriefly`. */
export const keepBriefly = deprecatedAlias('keepBriefly', 'cacheBriefly', cacheBriefly)

/** @deprecated Use `cacheUntil`. */
export const keepUntil = deprecatedAlias('keepUntil', 'cacheUntil', cacheUntil)

/** @deprecated Use `omitFailedPart`. */
export const leaveOut = deprecatedAlias('leaveOut', 'omitFailedPart', omitFailedPart)

/** @deprecated Use `LONG_TEXT_LIMITS`. */
export const LONG_TEXTS = deprecatedObject('LONG_TEXTS', 'LONG_TEXT_LIMITS', LONG_TEXT_LIMITS)

/** @deprecated Use `UNLIMITED_TEXT`. */
export const TEXTS_OF_ANY_LENGTH = deprecatedObject('TEXTS_OF_ANY_LENGTH', 'UNLIMITED_TEXT', UNLIMITED_TEXT)

/** @deprecated Use `outageOf`. */
export const outageBehind = deprecatedAlias('outageBehind', 'outageOf', outageOf)

/** @deprecated Use `shareOf`. */
export const partOf = deprecatedAlias('partOf', 'shareOf', shareOf)

declare module '../kernel/rest/request.ts' {
  interface RestRequest {
    /** @deprecated Use `hasParam`. */
    given(name: string): boolean
    /** @deprecated Use `requestParams`. */
    givenParams(): Params
    /** @deprecated Use `preventCaching`. */
    doNotKeep(reason: string): void
    /** @deprecated Use `cacheUntil`. */
    keepUntil(time: number): void
  }
}

declare module '../kernel/rest/server.ts' {
  interface RestServer {
    /** @deprecated Use `httpCache`. */
    readonly keeper: RestServer['httpCache']
    /** @deprecated Use `cacheResponses`. */
    readonly keepResponses: RestServer['cacheResponses']
  }
}

declare module './library/caching/dependencies.ts' {
  interface Dependencies {
    /** @deprecated Use `cacheUntil`. */
    keepUntil(time: number): void
  }
}

addDeprecatedMembers(RestRequest.prototype, 'request', {
  given: 'hasParam',
  givenParams: 'requestParams',
  doNotKeep: 'preventCaching',
  keepUntil: 'cacheUntil',
})
addDeprecatedMembers(Dependencies.prototype, 'dependencies', { keepUntil: 'cacheUntil' })
addDeprecatedMembers(RestServer.prototype, 'server', { keeper: 'httpCache', keepResponses: 'cacheResponses' })
