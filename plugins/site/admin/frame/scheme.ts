import type { AdminView } from './view.ts'
import { readAdminCookie, writeAdminCookie } from './cookies.ts'

/** Color schemes of the admin; `auto` follows the device. */
export const SCHEMES = ['auto', 'light', 'dark'] as const
export type Scheme = (typeof SCHEMES)[number]

const COOKIE = 'scheme'

/** Returns the color scheme that the user has chosen in this browser. */
export function schemeOf({ plugin, request }: AdminView): Scheme {
  return schemeIn(readAdminCookie(plugin, request, COOKIE))
}

/** Returns the cookie that stores the submitted color scheme. */
export function submittedScheme(view: AdminView): string {
  return writeAdminCookie(view.plugin, view.request, { name: COOKIE, value: schemeIn(view.text('scheme')) })
}

const schemeIn = (value: string | null): Scheme => SCHEMES.find((scheme) => scheme === value) ?? 'auto'
