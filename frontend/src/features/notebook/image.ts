import { Fault } from '$lib/backend/fault'
import { request } from '$lib/backend/request'
import { t } from '$lib/language/language'

/** An image that can be drawn; free releases its memory. */
export interface Picture {
  url: string
  /** The width of the original in pixels; 0 if it is not known. */
  width: number
  height: number
  /** For a document, which has no picture: its pages and size. */
  about?: string
  free: () => void
}

const DATA = /^data:image\/(?:png|jpeg|gif|webp);base64,/i

/** loadImage fetches an image that a prompt links to. Addresses elsewhere are never loaded. */
export async function loadImage(path: string, src: string, thumb: boolean, signal: AbortSignal): Promise<Picture> {
  if (DATA.test(src)) return { url: src, width: 0, height: 0, free: () => undefined }
  if (/^(?:data|https?):/i.test(src)) throw new Fault('denied', t`An image from the network is not loaded.`)
  const query = new URLSearchParams({ path, src, ...(thumb ? { thumb: '1' } : {}) })
  const response = await request(`/api/image?${query.toString()}`, { signal })
  const about = response.headers.get('X-Document')
  if (about) return { url: '', width: 0, height: 0, about, free: () => undefined }
  const size = /^(\d+)x(\d+)$/.exec(response.headers.get('X-Image-Size') ?? '')
  const url = URL.createObjectURL(await response.blob())
  return { url, width: Number(size?.[1] ?? 0), height: Number(size?.[2] ?? 0), free: () => URL.revokeObjectURL(url) }
}

/** The number of cached thumbnails, so that a cell that comes back into view shows its own at once. */
const maxKept = 48

/** The cache of thumbnails. A removed one's memory is released. */
export class Thumbnails {
  readonly #kept = new Map<string, Picture>()

  /** The last thumbnail; the file may have changed on disk since. */
  get(path: string, src: string): Picture | undefined {
    return this.#kept.get(`${path}\n${src}`)
  }

  keep(path: string, src: string, picture: Picture): void {
    const key = `${path}\n${src}`
    const old = this.#kept.get(key)
    this.#kept.delete(key)
    this.#kept.set(key, picture)
    // The page may still be drawing the old one.
    if (old) setTimeout(() => old.free(), 1000)
    for (const [other, gone] of this.#kept) {
      if (this.#kept.size <= maxKept) break
      this.#kept.delete(other)
      setTimeout(() => gone.free(), 1000)
    }
  }
}

export const thumbnails = new Thumbnails()
