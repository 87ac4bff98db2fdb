import services from './social-services.json' with { type: 'json' }

/**
 * A site that social links lead to. The shapes of brands are from Simple Icons, whose authors have dedicated them to the
 * public domain (CC0 1.0, https://simpleicons.org); `test/checks/social-icons.ts` copies them.
 */
export interface SocialService {
  readonly name: string
  /** Brand color without `#`; null for links that are not of a brand, which have the neutral color. */
  readonly color: string | null
  /** Data of the path element on a 24 × 24 grid. */
  readonly path: string
}

/** All services of social links, by the value of the attribute `service`. */
export const SOCIAL_SERVICES: ReadonlyMap<string, SocialService> = new Map(Object.entries(services))

/** Returns the display name of a service; its capitalized key if it is unknown. */
export function nameOf(service: string): string {
  return SOCIAL_SERVICES.get(service)?.name ?? service[0]!.toUpperCase() + service.slice(1)
}

/** Returns the SVG icon of a service; the one of links if it is unknown. */
export function iconOf(service: string): string {
  const { path } = SOCIAL_SERVICES.get(service) ?? services.chain
  return (
    '<svg width="24" height="24" viewBox="0 0 24 24" version="1.1" xmlns="http://www.w3.org/2000/svg" ' +
    `aria-hidden="true" focusable="false"><path d="${path}"></path></svg>`
  )
}
