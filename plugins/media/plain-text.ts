/** Text in one line and without elements, nor what the taking out of some makes of others: what an image shows in words. */
export function plainText(text: string): string {
  return text
    .replace(/<[a-z/!?][^>]*>?/gi, '')
    .replace(/<(?=[a-z/!?])/gi, '< ')
    .replace(/\s+/g, ' ')
    .trim()
}
