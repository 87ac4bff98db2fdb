/**
 * Returns the prefix of the names of a plugin's tables: its name in lower-case words of letters and digits, joined by
 * single underscores, and two underscores. So no prefix is the beginning of another, and no table of the store has one.
 */
export function tablePrefix(plugin: string): string {
  return `${
    plugin
      .toLowerCase()
      .match(/[a-z0-9]+/g)
      ?.join('_') ?? ''
  }__`
}
