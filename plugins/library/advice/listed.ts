/** Joins names in a sentence: `posts`, `posts and terms`, `posts, terms and media`. */
export function listed(names: readonly string[]): string {
  return names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`
}
