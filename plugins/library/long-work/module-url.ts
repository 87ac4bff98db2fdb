/**
 * Returns the URL of a module of the same build: `.ts` in a checkout, `.js` in the package.
 * @param path path relative to the importer, without extension: `./program`
 * @param importer `import.meta.url` of the calling module
 */
export function moduleUrl(path: string, importer: string): URL {
  return new URL(`${path}${importer.slice(importer.lastIndexOf('.'))}`, importer)
}
