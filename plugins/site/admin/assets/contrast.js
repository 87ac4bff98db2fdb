/**
 * Returns a color with six hexadecimal digits, `#1a2b3c`; null for other notations.
 * @param {string} text
 */
export function toHexColor(text) {
  const long = /^#([\da-f]{3})$/i.test(text) ? text.replace(/[\da-f]/gi, '$&$&') : text
  return /^#[\da-f]{6}$/i.test(long) ? long.toLowerCase() : null
}

/**
 * Returns the contrast ratio of two colors (WCAG 2): 1 to 21. Text needs 4.5.
 * @param {string} one
 * @param {string} other
 */
export function contrastOf(one, other) {
  const [lighter = 1, darker = 1] = [luminance(one), luminance(other)].sort((a, b) => b - a)
  return (lighter + 0.05) / (darker + 0.05)
}

/** @param {string} color a result of `toHexColor` */
function luminance(color) {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const part = Number.parseInt(color.slice(at, at + 2), 16) / 255
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}
