/** Returns JSON for a script element: `<` cannot end the element, and other characters than ASCII are escaped. */
export function jsonOf(data: object): string {
  return JSON.stringify(data).replace(
    /[<\u0080-\uffff]/g,
    (mark) => String.raw`\u${mark.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}
