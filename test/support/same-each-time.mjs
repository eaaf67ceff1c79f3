import crypto from 'node:crypto';
import { syncBuiltinESMExports } from 'node:module';

/** Loaded before the program: its clock stands still, and its codes are not random. */
let drawn = 0;
crypto.randomInt = (end) => (drawn++ * 5) % end;
syncBuiltinESMExports();
performance.now = () => 0;
