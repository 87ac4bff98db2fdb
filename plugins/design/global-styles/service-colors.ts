import { SOCIAL_SERVICES } from '../../rendering/core-blocks/index.ts'

/** Rules that set the brand color of each service, and black or white on it; a service without a brand color is gray. */
export const SERVICE_COLORS = [...SOCIAL_SERVICES]
  .flatMap(([service, { color }]) =>
    color === null ? [] : [`.M-social-link-${service} { --service: #${color}; --on-service: ${textOn(color)} }`],
  )
  .join('\n')

/** Returns the color of an icon on a brand color: white, or black on colors so bright that white would vanish. */
function textOn(color: string): string {
  const digits = color.length === 3 ? color.replace(/./g, '$&$&') : color
  const [red = 0, green = 0, blue = 0] = [0, 2, 4].map((at) => parseInt(digits.slice(at, at + 2), 16))
  return red * 0.299 + green * 0.587 + blue * 0.114 > 200 ? '#000' : '#fff'
}
