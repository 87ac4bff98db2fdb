// Colors of the theme in the canvas. The sheet is constructed, because the policy of the page blocks style elements.

/** @param {readonly { slug: string, color: string }[]} colors */
export function colorStyles(colors) {
  const sheet = new CSSStyleSheet()
  for (const { slug, color } of colors) {
    if (!/^[\w-]+$/.test(slug) || !CSS.supports('color', color)) continue
    sheet.insertRule(`.editor-canvas { --wp--preset--color--${slug}: ${color} }`)
    sheet.insertRule(`.editor-canvas .has-${slug}-color { color: ${color} }`)
    sheet.insertRule(`.editor-canvas .has-${slug}-background-color { background-color: ${color} }`)
  }
  document.adoptedStyleSheets.push(sheet)
}
