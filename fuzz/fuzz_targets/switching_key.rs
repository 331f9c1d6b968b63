#![no_main]
//! Single switching keys.

ringjet_fuzz::target!(SwitchingKey, |w, key|
    ckks | heaan | bgv => {
        let _ = format!("{key:?}");
    }
);
