/**
 * The engine is a worker without exports: `new Worker("sesame.js")`.
 *
 * It takes a line of UCI as a message, and posts a line of UCI for each message.
 */
export interface SesameWorker extends Worker {
    postMessage(line: string): void;
    onmessage: ((this: Worker, event: MessageEvent<string>) => void) | null;
}
