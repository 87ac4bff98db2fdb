import type { Kernel } from '../../bin/config/index.ts'
import {
  createContent,
  restoreContent,
  writesOfComments,
  writesOfMedia,
  writesOfPosts,
  writesOfTerms,
} from './random-content.ts'
import {
  restoreSettings,
  writesOfOptions,
  writesOfProcesses,
  writesOfPrograms,
  writesOfUsers,
} from './random-people.ts'
import { writesOfRows } from './random-rows.ts'
import { watched } from './random-plugins.ts'
import { RandomTools, type RandomObjects, type Writes } from './random-tools.ts'
import type { Random } from './random.ts'
import type { SiteWithUsers } from './site-with-users.ts'

/** A random write to a site, and its name. */
export interface RandomWrite {
  readonly name: string
  run(this: void): Promise<unknown>
}

/** Number of writes after which the objects are restored. */
const WRITES_PER_RESTORE = 9

/** Selects random writes of all kinds and methods, each once before the first is repeated. */
export class RandomWriter {
  readonly #tools: RandomTools
  readonly #kernels: readonly Kernel[]
  #remaining: string[] = []
  #count = 0

  /** @param kernels the kernels of the site, with the plugin `furniture`; empty if some are in other processes */
  constructor(site: SiteWithUsers, random: Random, kernels: readonly Kernel[]) {
    this.#tools = new RandomTools(site, random)
    this.#kernels = kernels
  }

  get objects(): RandomObjects {
    return this.#tools.objects
  }

  /** Creates some objects of each kind. */
  async begin(): Promise<void> {
    watched.objects = this.objects
    await restoreSettings(this.#tools)
    await createContent(this.#tools)
  }

  /** Returns the next write. */
  next(): RandomWrite {
    this.#count += 1
    if (this.#count % WRITES_PER_RESTORE === 0) return { name: 'restore order', run: () => this.#restore() }
    const writes = this.#all()
    if (this.#remaining.length === 0) this.#remaining = Object.keys(writes)
    const [name] = this.#remaining.splice(Math.floor(this.#tools.random() * this.#remaining.length), 1)
    return { name: name!, run: writes[name!]! }
  }

  async #restore(): Promise<void> {
    await restoreSettings(this.#tools)
    await restoreContent(this.#tools)
  }

  /** Returns all writes, with the site that is currently written to. */
  #all(): Writes {
    return writesOfContent(this.#tools, this.#kernels)
  }
}

/** Writes of content, users, options and plugins. @param kernels as for `RandomWriter` */
export function writesOfContent(tools: RandomTools, kernels: readonly Kernel[]): Writes {
  return {
    ...writesOfPosts(tools),
    ...writesOfTerms(tools),
    ...writesOfComments(tools),
    ...writesOfMedia(tools),
    ...writesOfRows(tools),
    ...writesOfUsers(tools),
    ...writesOfOptions(tools),
    ...writesOfPrograms(tools),
    ...(kernels.length > 0 && writesOfProcesses(tools, kernels)),
  }
}
