// The reader and the writer of classic content, which are loaded for the first classic content.

/** @type {{ read: typeof import('./read.js') | null, write: typeof import('./write.js') | null }} */
const modules = { read: null, write: null }

/** Loads them. @throws if the server does not send them */
export async function loadClassic() {
  const [read, write] = await Promise.all([import('./read.js'), import('./write.js')])
  Object.assign(modules, { read, write })
}

/** @type {typeof import('./read.js').readClassic} */
export function readClassic(html, schema, write) {
  if (modules.read === null) throw new Error('Classic content is read before loadClassic() has ended.')
  return modules.read.readClassic(html, schema, write)
}

/** @type {typeof import('./write.js').classicCodecOf} */
export function classicCodecOf(name) {
  if (modules.write === null) throw new Error('Classic content is written before loadClassic() has ended.')
  return modules.write.classicCodecOf(name)
}
