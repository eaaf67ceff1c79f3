/** Answers to questions about data that never changes. */
export interface KeptAnswers {
  readonly answers: Map<string, { readonly answer: Promise<unknown>; rows: number }>;
  readonly rowsMax: number;
}

export function keptAnswers(rowsMax: number): KeptAnswers {
  return { answers: new Map(), rowsMax };
}

/** Asks only if no answer is kept. Answers that nobody needed for the longest time are forgotten first. */
export function askOnce<Answer>(kept: KeptAnswers, question: string, ask: () => Promise<Answer>): Promise<Answer> {
  const { answers } = kept;
  const known = answers.get(question);
  const own = known ?? { answer: ask(), rows: 1 };
  answers.delete(question);
  answers.set(question, own);
  if (known === undefined) {
    own.answer.then(
      (answer) => {
        own.rows = rowsOf(answer);
        forgetOldest(kept);
      },
      () => answers.delete(question),
    );
  }
  return own.answer as Promise<Answer>;
}

function rowsOf(answer: unknown): number {
  if (Array.isArray(answer)) return answer.length;
  if (!(answer instanceof Map)) return 1;
  let rows = 0;
  for (const one of answer.values()) rows += rowsOf(one);
  return rows;
}

function forgetOldest({ answers, rowsMax }: KeptAnswers): void {
  let rows = 0;
  for (const one of answers.values()) rows += one.rows;
  for (const [question, one] of answers) {
    if (rows <= rowsMax) return;
    answers.delete(question);
    rows -= one.rows;
  }
}
