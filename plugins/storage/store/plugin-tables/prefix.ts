/**
 * What the names of a plugin's tables begin with. The name of the plugin in words of small letters and digits, with single
 * underscores between them, and two behind: so no prefix begins like another one, and no table of ours has one.
 */
export function tablePrefix(plugin: string): string {
  return `${
    plugin
      .toLowerCase()
      .match(/[a-z0-9]+/g)
      ?.join('_') ?? ''
  }__`
}
